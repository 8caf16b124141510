// A picture of one wall with some places marked: the stacks above, the hand's tiles in a row below, as on the building mat.
const WIDTH = 10, HEIGHT = 14, STEP_X = 11, STEP_Y = 15;
const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// The column and line of a place; spare tiles lie beside the last one of the wall.
function cell({ row, count }, { stacks, hand }) {
  const line = { upper: 0, lower: 1, single: 1, spare: 1, hand: 2 }[row];
  return [(row === "spare" ? Math.max(stacks + 1, hand - 3) : 0) + count - 1, line];
}

// Every place of a wall with so many stacks and tiles of the hand, and of a last single tile.
function places({ stacks, hand, single }) {
  const row = (name, length) => Array.from({ length }, (_, index) => ({ row: name, count: index + 1 }));
  return [...row("upper", stacks), ...row("lower", stacks), ...(single ? [{ row: "single", count: stacks + 1 }] : []), ...row("hand", hand)];
}

// marks are places (row, count) with a class name as mark.
export function wallPicture(marks, sizes) {
  const columns = Math.max(sizes.hand, sizes.stacks + 1) + 1;
  const picture = make("svg", { viewBox: `-1 -1 ${columns * STEP_X + 1} ${3 * STEP_Y + 5}`, "aria-hidden": "true" });
  const same = (one, other) => one.row === other.row && one.count === other.count;
  const spare = marks.filter((mark) => mark.row === "spare");
  for (const place of [...places(sizes), ...spare]) {
    const mark = marks.find((each) => same(each, place));
    const [column, line] = cell(place, sizes);
    const [x, y] = [column * STEP_X, line * STEP_Y + (line === 2 ? 3 : 0)];
    picture.append(make("rect", { x, y, width: WIDTH, height: HEIGHT, rx: 1.5, class: mark?.mark ?? "" }));
    if (mark) picture.append(make("text", { x: x + WIDTH / 2, y: y + HEIGHT / 2 + 2.6, class: mark.mark }, String(place.count)));
  }
  return picture;
}
