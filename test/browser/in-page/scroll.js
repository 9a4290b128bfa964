/* In the page: see scroll.ts. */
async ({ list: listSelector, row, id, step, frames }) => {
  const list = document.querySelector(listSelector);
  const { left, top, width, height } = list.getBoundingClientRect();
  const seen = new Set();
  let blank = 0;
  for (let frame = 0; frame < frames; frame++) {
    list.scrollTop += step;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    for (const part of [0.05, 0.5, 0.95]) {
      const found = document.elementFromPoint(left + width / 2, top + height * part);
      if (!found?.closest(row)) blank++;
    }
    for (const element of list.querySelectorAll(`[${id}]`)) seen.add(element.getAttribute(id));
  }
  return { blank, seen: seen.size, elements: list.querySelectorAll(row).length };
};
