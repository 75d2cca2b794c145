//! evaluate_methods: fingerprint methods side by side on one collection.

nearsig::executable!(nearsig::methods::EvaluateMethods);
