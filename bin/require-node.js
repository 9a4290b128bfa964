// Runs on any Node, so it uses no new syntax: an old Node gets advice instead of a syntax error.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `Colloquy needs Node 24 or newer; this is Node ${process.versions.node}. ` +
      "In a checkout, run `npm ci` and use `npm run …`: this uses its own Node. " +
      "Elsewhere, install a current Node from your system's packages or a version manager.",
  );
  process.exit(1);
}
