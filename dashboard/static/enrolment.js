// Keys for the page of an enrolment: 1 to 3 choose a kind, the minus key leaves the tile out.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (button === null) return;
  event.preventDefault();
  button.click();
});
