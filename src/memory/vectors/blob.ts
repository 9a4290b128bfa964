/** Vectors as SQLite and sqlite-vec hold them: 32-bit floats, little-endian, as on every machine that Node runs on. */

export function blobOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function vectorOf(blob: unknown): Float32Array | undefined {
  if (!(blob instanceof Uint8Array)) return undefined;
  const isAligned = blob.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0;
  const bytes = isAligned ? blob : blob.slice();
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}
