// What the station's screen says, as text and as speech: pure functions of a task, of the languages' texts and of the screen.
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

export class Sentences {
  constructor(texts) {
    this.texts = texts;
  }

  say(key, values = {}) {
    return fill(this.texts[key], values);
  }

  seat(number, key = "seats") {
    return number < 0 ? "" : this.texts[key].split("|")[number % 4];
  }

  row(at) {
    return at.row ? this.say(at.row, { count: at.count }) : "";
  }

  place(at) {
    return [this.seat(at.seat), this.row(at)].filter(Boolean).join(this.texts.between);
  }

  // Where a machine brings the tiles some tasks have words of their own.
  task(task, now) {
    const where = task.do === "put" ? this.row(task) : this.place(task);
    const asked = task.spot >= 0 ? this.say("spot", { spot: task.spot + 1 }) : where;
    const own = now.machine && `${task.do}-machine`;
    const key = own in this.texts ? own : task.do === "draw" && task.seat > 3 ? "shared" : task.do;
    return this.say(key, { where, asked: asked && `(${asked})`, seat: this.seat(task.seat), spot: task.spot + 1, set: now.set });
  }

  misplaced({ lies, belongs }) {
    const at = { lies: this.place(lies), belongs: belongs && this.place(belongs) };
    return this.say(belongs ? "misplaced" : "misplaced-nowhere", at);
  }

  asked({ seat, player, says }) {
    return says === player ? "" : this.say(says ? "seat-wrong" : "seat-missing", { seat: this.seat(seat), player, says });
  }

  // What is spoken: a place in few words; else the sentence that is shown; nothing while nobody has anything to do.
  spoken(now) {
    if (now.misplaced) return this.misplaced(now.misplaced);
    if (now.blind) return this.say("blind");
    const { task } = now;
    if (task.do === "rest" || task.do === "reading") return now.why ? this.say(`why-${now.why}`) : "";
    if (task.do !== "put") return now.why ? this.say("task-why", { task: this.task(task, now), why: this.say(`why-${now.why}`) }) : this.task(task, now);
    return this.say(`speak-${task.row}`, { seat: this.seat(task.seat, "speak-seats"), count: task.count });
  }
}

const SEAT_HZ = 440, ROW_HZ = { hand: 660, lower: 550, upper: 880, single: 740, spare: 740 };
const SHORT_MS = 90, LONG_MS = 270;

// A place in tones, as [frequency in Hz, length in ms]: as many low ones as the seat's number, then the place in the row's pitch,
// a long one for each five and a short one for each of the rest. The pitch 0 is a pause.
export function placeTones({ seat, row, count }) {
  const tones = (number, hz, ms) => Array.from({ length: number }, () => [hz, ms]);
  const fives = Math.floor(count / 5);
  return [...tones(seat + 1, SEAT_HZ, SHORT_MS), [0, LONG_MS], ...tones(fives, ROW_HZ[row], LONG_MS), ...tones(count % 5, ROW_HZ[row], SHORT_MS)];
}

// One tone for each sort of instruction. It says that there is something new, never where a tile goes.
const NEW_MS = 120;
export const WRONG = [220, NEW_MS];
export const newTone = (now) => (now.misplaced || now.blind || now.task.do.startsWith("machine-") ? WRONG : [{ put: 880, heap: 440, reject: 330 }[now.task.do] ?? 660, NEW_MS]);
