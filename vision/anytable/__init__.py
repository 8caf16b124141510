"""Any table before any camera, without a mat: where its plane lies, where people sit, and which tiles lie on it."""
