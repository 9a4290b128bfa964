/* In the page: how often a point of the list had no row, how many rows were seen, and how many there are. */
async ({ step, frames }) => {
  const list = document.querySelector(".side .fixed-list");
  const { left, top, width, height } = list.getBoundingClientRect();
  const seen = new Set();
  let blank = 0;
  for (let frame = 0; frame < frames; frame++) {
    list.scrollTop += step;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    for (const part of [0.05, 0.5, 0.95]) {
      const found = document.elementFromPoint(left + width / 2, top + height * part);
      if (!found?.closest(".row")) blank++;
    }
    for (const { dataset } of list.querySelectorAll(".row")) seen.add(dataset.id);
  }
  return { blank, seen: seen.size, elements: list.querySelectorAll(".row").length };
};
