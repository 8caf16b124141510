// Shows that an answer is on its way, which takes some seconds, so that nobody presses again.
"use strict";
addEventListener("submit", () => document.body.setAttribute("aria-busy", "true"));
addEventListener("pageshow", () => document.body.removeAttribute("aria-busy"));
