// The station's screen on the table's own computer, or on a tablet that enters the code which the own screen shows.
import { texts } from "/screen-texts.js";
import { StationScreen } from "/screen.js";

const AGAIN_MS = 1000;
const element = (id) => document.getElementById(id);
const onTablet = document.documentElement.dataset.place === "tablet";
let language = localStorage.getItem("language") in texts ? localStorage.getItem("language") : "en";
let now = null, lost = false, outside = false;

async function post(path, fields = {}) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) }).catch(() => null);
}

const screen = new StationScreen(element("screen"), texts, language, (deed, fields) => post(`/${deed}`, fields));
const pause = () => new Promise((wake) => setTimeout(wake, AGAIN_MS));

function put(id, text, when) {
  element(id).textContent = text;
  element(id).hidden = !when;
}

function drawDoor() {
  const tablet = now?.tablet, say = (key, values) => screen.sentences.say(key, values);
  document.documentElement.lang = language;
  element("enter-label").textContent = say("tablet-enter");
  element("pair").textContent = say("tablet-pair");
  element("enter").hidden = !outside;
  put("clear", say("tablet-clear"), Boolean(onTablet || tablet?.address));
  put("tablet", say("tablet"), Boolean(!onTablet && tablet?.address && !tablet.out && !tablet.code));
  put("back", say("tablet-back"), Boolean(!onTablet && tablet?.out));
  put("code-shown", say("tablet-code", tablet), Boolean(!onTablet && tablet?.code && !tablet.out));
}

function draw() {
  if (outside) screen.tell("");
  else if (lost) screen.tell("lost");
  else screen.show(now);
  drawDoor();
}

element("tablet").onclick = () => post("/offer");
element("back").onclick = () => post("/take-back");
element("enter").onsubmit = async (event) => {
  event.preventDefault();
  const answer = await post("/pair", { code: element("code").value });
  element("code").value = "";
  element("wrong").textContent = answer?.ok ? "" : screen.sentences.say("tablet-wrong");
  if (answer?.ok) {
    outside = false;
    drawDoor();
  }
};
for (const [name, its] of Object.entries(texts)) element("language").add(new Option(its.name, name, false, name === language));
element("language").onchange = ({ target }) => {
  language = target.value;
  localStorage.setItem("language", language);
  screen.speakIn(language);
  drawDoor();
};
drawDoor();

for (;;) {
  try {
    const answer = await fetch(`/now?after=${now && !lost && !outside ? now.version : 0}`);
    outside = answer.status === 401;
    now = outside ? null : await answer.json();
    lost = false;
  } catch {
    lost = true;
  }
  draw();
  if (outside || lost) await pause();
}
