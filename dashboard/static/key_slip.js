// Shows the codes of a key slip one after the other, for a camera; without this script they stand below each other.
"use strict";

const CODE_MS = 700;
const codes = [...document.querySelectorAll(".slip img")];
let shown = 0;

function show() {
  codes.forEach((code, number) => { code.hidden = number !== shown; });
  shown = (shown + 1) % codes.length;
}

if (codes.length > 1) {
  show();
  setInterval(show, CODE_MS);
}
