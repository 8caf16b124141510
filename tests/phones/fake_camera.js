// The phone's camera as a canvas: it shows one of fakePictures with a little noise, as a camera does.
(() => {
  const canvas = document.createElement("canvas"), drawn = [];
  const bitmaps = {};
  let shown = Object.keys(window.fakePictures)[0], failing = null;
  const ready = Promise.all(Object.entries(window.fakePictures).map(async ([name, text]) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    bitmaps[name] = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
  }));
  window.showPicture = (name) => { shown = name; };
  window.failCamera = (name) => { failing = name; };
  window.endCamera = () => window.fakeStream.getVideoTracks()[0].dispatchEvent(new Event("ended"));
  const draw = () => {
    const picture = bitmaps[shown], brush = canvas.getContext("2d");
    [canvas.width, canvas.height] = [picture.width, picture.height];
    brush.drawImage(picture, 0, 0);
    brush.fillStyle = `rgba(0, 0, 0, ${Math.random() * 0.05})`;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    drawn.push(performance.now());
    if (drawn.length > 4) drawn.shift();
  };
  navigator.mediaDevices.getUserMedia = async () => {
    if (failing) throw new DOMException("no", failing);
    await ready;
    draw();
    setInterval(draw, 30);
    window.fakeStream = canvas.captureStream(30);
    return window.fakeStream;
  };
  const ask = HTMLVideoElement.prototype.requestVideoFrameCallback;
  HTMLVideoElement.prototype.requestVideoFrameCallback = function (use) {
    // A frame that is shown now was drawn at the oldest of the last four times, or later.
    return ask.call(this, (now, frame) => use(now, { ...frame, captureTime: window.tellsTime ? drawn[0] : undefined }));
  };
})();
