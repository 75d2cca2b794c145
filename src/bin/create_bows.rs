//! create_bows: bags of words of documents.

nearsig::executable!(nearsig::chain::bows::CreateBows);
