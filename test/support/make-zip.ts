/** Small zips for tests, whole and harmful ones. */
import { crc32, deflateRawSync } from "node:zlib";

export interface Member {
  readonly name: string | Buffer;
  readonly data: Buffer | string;
  /** 0 or 8; another number is written as it is, over data that is not packed. */
  readonly method?: number;
  readonly flags?: number;
  /** What the list says instead of the truth. */
  readonly size?: number;
  readonly crc?: number;
  /** It has no bytes: the list leads to those of the first member. */
  readonly isShared?: boolean;
  /** The type and rights of a Unix file. */
  readonly mode?: number;
}

const LOCAL = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
/** The 2nd of January 2026. */
const DATE = ((2026 - 1980) << 9) | (1 << 5) | 2;

export function makeZip(members: readonly Member[]): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const { local, listed } = written(member, member.isShared === true ? 0 : offset);
    list.push(listed);
    if (member.isShared === true) continue;
    bodies.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...list, end]);
}

function written(member: Member, offset: number): { local: Buffer; listed: Buffer } {
  const { method = 8, mode = 0o100644 } = member;
  const data = Buffer.from(member.data);
  const name = Buffer.from(member.name);
  const packed = method === 8 ? deflateRawSync(data) : data;
  // The fields that both headers share, from the version that is needed on.
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(member.flags ?? 0x800, 2);
  shared.writeUInt16LE(method, 4);
  shared.writeUInt16LE(DATE, 8);
  shared.writeUInt32LE(member.crc ?? crc32(data), 10);
  shared.writeUInt32LE(packed.length, 14);
  shared.writeUInt32LE(member.size ?? data.length, 18);
  shared.writeUInt16LE(name.length, 22);
  const sign = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((mode << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([sign(LOCAL), shared, name, packed]),
    listed: Buffer.concat([sign(LISTED), Buffer.from([20, 3]), shared, rest, name]),
  };
}
