// Puts the newest ranking in place of the one that the page was made with; the stream repeats the last one to whoever connects.
"use strict";
const ranking = document.getElementById("ranking");
new EventSource(ranking.dataset.stream).onmessage = (told) => { ranking.innerHTML = told.data; };
