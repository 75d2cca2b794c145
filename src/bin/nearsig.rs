//! nearsig — which executables there are, and any of them by its name.

nearsig::executable!(overview);
