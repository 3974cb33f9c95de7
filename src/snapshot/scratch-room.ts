// Memory for lists that live as long as one answer. A thread answers one request at a time, and fresh memory of this size costs
// as much as a pass over it; so it is kept. What is taken here is valid until the same name is taken again.

const rooms = {
  documentBits: new Uint32Array(0),
  orderKeys: new Uint32Array(0),
  positions: new Uint32Array(0),
  candidates: new Uint32Array(0),
  newcomers: new Uint32Array(0),
  earlierRanks: new Uint32Array(0),
  chunk: new Uint32Array(0),
  nearDocuments: new Uint32Array(0),
  nearKeys: new Uint32Array(0),
};

/** At least so many numbers, with whatever was in them before. */
export function takeRoom(name: keyof typeof rooms, count: number): Uint32Array {
  if (rooms[name].length < count) rooms[name] = new Uint32Array(count);
  return rooms[name];
}
