/* In the page: the titles in the window of the list, from top to bottom. */
() => {
  const list = document.querySelector(".side .fixed-list").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".side .fixed-list .row")]
    .map((row) => ({ row, top: row.getBoundingClientRect().top }))
    .filter(({ top }) => top >= list.top && top < list.bottom);
  return rows.sort((a, b) => a.top - b.top).map(({ row }) => row.querySelector(".row-title").textContent);
};
