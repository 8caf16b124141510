// The station's screen on the table's own computer.
import { texts } from "/screen-texts.js";
import { StationScreen } from "/screen.js";

const AGAIN_MS = 1000;
const element = (id) => document.getElementById(id);
let language = localStorage.getItem("language") in texts ? localStorage.getItem("language") : "en";
let now = null, lost = false;

async function post(path, fields = {}) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) }).catch(() => null);
}

const screen = new StationScreen(element("screen"), texts, language, (deed, fields) => post(`/${deed}`, fields));
const pause = () => new Promise((wake) => setTimeout(wake, AGAIN_MS));

function drawBack() {
  document.documentElement.lang = language;
  element("back").textContent = screen.sentences.say("take-back");
  element("back").hidden = !now?.out;
}

function draw() {
  if (lost) screen.tell("lost");
  else screen.show(now);
  drawBack();
}

element("back").onclick = () => post("/take-back");
for (const [name, its] of Object.entries(texts)) element("language").add(new Option(its.name, name, false, name === language));
element("language").onchange = ({ target }) => {
  language = target.value;
  localStorage.setItem("language", language);
  screen.speakIn(language);
  drawBack();
};
drawBack();

for (;;) {
  try {
    const answer = await fetch(`/now?after=${now && !lost ? now.version : 0}`);
    now = await answer.json();
    lost = false;
  } catch {
    lost = true;
  }
  draw();
  if (lost) await pause();
}
