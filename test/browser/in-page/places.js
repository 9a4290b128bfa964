/* In the page: how far below the top of the window a message was, in every frame until its answer is stored. */
async ({ text }) => {
  const list = document.querySelector(".messages");
  const top = list.getBoundingClientRect().top;
  const places = [];
  const endMs = performance.now() + 60_000;
  while (performance.now() < endMs) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const messages = [...list.querySelectorAll(".message")];
    const message = messages.find((one) => one.matches(".user") && one.textContent.includes(text));
    if (!message) continue;
    places.push(Math.round(message.getBoundingClientRect().top - top));
    const isStored = messages.at(-1).matches(".assistant") && !list.querySelector(".running");
    if (isStored) return places;
  }
  throw new Error("the answer was not stored");
};
