/* In the page: the home folder as people write it, in every text. */
({ home }) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(home, "~");
};
