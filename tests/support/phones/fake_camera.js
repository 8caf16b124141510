// The phone's camera as a canvas: it shows one of fakePictures with a little noise, as a camera does, or the pictures of another camera
// at the address seenCamera, one after the other. Blocks in the corner, one for each digit, number the frames, so that the time of capture
// which the browser tells of a frame is the one at which it was drawn, or asked of the other camera. Its picture has settled at once.
(() => {
  const SPREAD = 64, BLOCK = 8, BASE = 8, DIGITS = 3, LEVELS = 256 / BASE, PAUSE_MS = 500, SETTLES_MS = 1500;
  const later = window.setTimeout;
  window.setTimeout = (what, ms, ...more) => later(what, ms === SETTLES_MS ? 0 : ms, ...more);
  const canvas = document.createElement("canvas"), seen = document.createElement("canvas"), drawnMs = [];
  [seen.width, seen.height] = [BLOCK * DIGITS, 1];
  const bitmaps = {};
  let shown = Object.keys(window.fakePictures ?? {})[0], failing = null, number = 0;
  const ready = Promise.all(Object.entries(window.fakePictures ?? {}).map(async ([name, text]) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    bitmaps[name] = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
  }));
  window.showPicture = (name) => { shown = name; };
  window.failCamera = (name) => { failing = name; };
  window.endCamera = () => window.fakeStream.getVideoTracks()[0].dispatchEvent(new Event("ended"));
  const noise = (() => {
    const grain = document.createElement("canvas");
    grain.width = grain.height = 1024;
    const brush = grain.getContext("2d"), pixels = brush.createImageData(grain.width, grain.height);
    for (let index = 3; index < pixels.data.length; index += 4) pixels.data[index] = Math.random() * 12;
    brush.putImageData(pixels, 0, 0);
    return grain;
  })();
  const draw = () => {
    expose(bitmaps[shown], performance.now(), (brush) => brush.drawImage(noise, -Math.random() * SPREAD, -Math.random() * SPREAD));
  };
  const expose = (picture, atMs, finish = () => {}) => {
    const brush = canvas.getContext("2d");
    if (canvas.width !== picture.width) [canvas.width, canvas.height] = [picture.width, picture.height];
    brush.drawImage(picture, 0, 0);
    finish(brush);
    number = (number + 1) % BASE ** DIGITS;
    for (let place = 0, rest = number; place < DIGITS; place += 1, rest = Math.floor(rest / BASE)) {
      const level = (rest % BASE + 0.5) * LEVELS;
      brush.fillStyle = `rgb(${level}, ${level}, ${level})`;
      brush.fillRect(place * BLOCK, 0, BLOCK, BLOCK);
    }
    drawnMs[number] = atMs;
  };
  const see = async () => {
    const askedMs = performance.now();
    const answer = await fetch(window.seenCamera, { cache: "no-store" });
    if (!answer.ok) return;
    const picture = await createImageBitmap(await answer.blob());
    expose(picture, askedMs);
    picture.close();
  };
  // Another camera takes a picture when the table wants one, and now and then beside: it is simulated, and each one costs.
  let isWanted = false, wake = () => {};
  const want = () => {
    isWanted = true;
    wake();
  };
  const keepSeeing = async () => {
    isWanted = false;
    await see().catch(() => {});
    if (!isWanted) await new Promise((woken) => { wake = woken; setTimeout(woken, PAUSE_MS); });
    keepSeeing();
  };
  const captureTime = (video) => {
    const brush = seen.getContext("2d", { willReadFrequently: true });
    brush.drawImage(video, 0, BLOCK / 2, seen.width, 1, 0, 0, seen.width, 1);
    const { data } = brush.getImageData(0, 0, seen.width, 1);
    let read = 0;
    for (let place = DIGITS - 1; place >= 0; place -= 1) read = read * BASE + Math.floor(data[4 * (place + 0.5) * BLOCK + 1] / LEVELS);
    return drawnMs[read];
  };
  navigator.mediaDevices.getUserMedia = async () => {
    if (failing) throw new DOMException("no", failing);
    await ready;
    if (window.seenCamera) {
      await see();
      keepSeeing();
    } else {
      draw();
      setInterval(draw, window.everyMs);
    }
    window.fakeStream = canvas.captureStream(30);
    return window.fakeStream;
  };
  const Line = window.WebSocket;
  window.WebSocket = class extends Line {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", () => setTimeout(want));
    }
  };
  const ask = HTMLVideoElement.prototype.requestVideoFrameCallback;
  HTMLVideoElement.prototype.requestVideoFrameCallback = function (use) {
    return ask.call(this, (now, frame) => use(now, { ...frame, captureTime: window.tellsTime ? captureTime(this) : undefined }));
  };
})();
