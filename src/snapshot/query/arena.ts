// The arena: memory for lists that live as long as one answer. A thread answers one request at a time, and fresh memory of this size costs
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
  pageValues: new Uint32Array(0),
  textStarts: new Uint32Array(0),
  comparedRanks: new Uint32Array(0),
};

let measureRoom = new Float64Array(0);

/** The same for numbers that are not whole ones of 32 bits. */
export function takeMeasures(count: number): Float64Array {
  if (measureRoom.length < count) measureRoom = new Float64Array(count);
  return measureRoom.subarray(0, count);
}

/** At least so many numbers, with whatever was in them before. */
export function takeRoom(name: keyof typeof rooms, count: number): Uint32Array {
  if (rooms[name].length < count) rooms[name] = new Uint32Array(count);
  return rooms[name];
}

/** Beyond it, lists come from fresh memory. */
const MAX_LIST_ROOM = 2 ** 24;

let listRoom = new Uint32Array(0);
let listsTaken = 0;
let listsWanted = 0;

/** A new answer begins: lists of the one before are no longer looked at. */
export function releaseLists(): void {
  if (listsWanted > listRoom.length && listRoom.length < MAX_LIST_ROOM) {
    listRoom = new Uint32Array(Math.min(listsWanted, MAX_LIST_ROOM));
  }
  listsTaken = 0;
  listsWanted = 0;
}

/** So many numbers, whatever they are, that stay as they are left until the lists are released. */
export function takeList(count: number): Uint32Array {
  listsWanted += count;
  if (listsTaken + count > listRoom.length) return new Uint32Array(count);
  listsTaken += count;
  return listRoom.subarray(listsTaken - count, listsTaken);
}

/** The same for numbers of two bytes. */
export function takeHalves(count: number): Uint16Array {
  const { buffer, byteOffset } = takeList(Math.ceil(count / 2));
  return new Uint16Array(buffer, byteOffset, count);
}
