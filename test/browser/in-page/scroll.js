/* In the page: how often a point of the window had no row, how many messages were seen, how many rows there are. */
async ({ step, frames }) => {
  const list = document.querySelector(".messages");
  const { left, top, width, height } = list.getBoundingClientRect();
  const seen = new Set();
  let blank = 0;
  for (let frame = 0; frame < frames; frame++) {
    list.scrollTop += step;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    for (const part of [0.05, 0.5, 0.95]) {
      const found = document.elementFromPoint(left + width / 2, top + height * part);
      if (!found?.closest(".item")) blank++;
    }
    for (const { dataset } of document.querySelectorAll("[data-entry]")) seen.add(dataset.entry);
  }
  return { blank, seen: seen.size, elements: document.querySelectorAll(".item").length };
};
