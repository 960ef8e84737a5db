/** [first address, prefix length] of every range that is not the public internet, with what it is. IANA's special-purpose registries. */
const SHUT_V4: readonly (readonly [network: string, bits: number, what: string])[] = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "cloud metadata"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved"],
  ["192.0.2.0", 24, "documentation"],
  ["192.31.196.0", 24, "reserved"],
  ["192.52.193.0", 24, "reserved"],
  ["192.88.99.0", 24, "6to4 relay"],
  ["192.168.0.0", 16, "private"],
  ["192.175.48.0", 24, "reserved"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/** Within 2000::/3; everything outside of it (loopback, mapped, NAT64, local, multicast) is shut as a whole. */
const SHUT_V6: readonly (readonly [network: readonly number[], bits: number, what: string])[] = [
  [[0x2001, 0x0000], 23, "reserved (Teredo, ORCHID, benchmarking)"],
  [[0x2001, 0x0db8], 32, "documentation"],
  [[0x2002], 16, "6to4"],
  [[0x2620, 0x004f, 0x8000], 48, "reserved"],
  [[0x3fff], 20, "documentation"],
];

const QUAD = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function readIpv4(text: string): number | null {
  if (!QUAD.test(text)) {
    return null;
  }
  let value = 0;
  for (const octet of text.split(".")) {
    if (Number(octet) > 255) {
      return null;
    }
    value = value * 256 + Number(octet);
  }
  return value;
}

function groupsOf(text: string): number[] | null {
  if (text === "") {
    return [];
  }
  const groups: number[] = [];
  const words = text.split(":");
  for (const [index, word] of words.entries()) {
    const quad = index === words.length - 1 ? readIpv4(word) : null;
    if (quad !== null) {
      groups.push(Math.floor(quad / 65_536), quad % 65_536);
    } else if (/^[0-9a-f]{1,4}$/i.test(word)) {
      groups.push(Number.parseInt(word, 16));
    } else {
      return null;
    }
  }
  return groups;
}

/** Eight 16-bit groups; null for anything that is not a plain IPv6 address (a zone id among them). */
function readIpv6(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) {
    return null;
  }
  const head = groupsOf(halves[0] ?? "");
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? "") : [];
  if (!head || !tail) {
    return null;
  }
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) {
    return null;
  }
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function within(value: number, network: number, bits: number): boolean {
  const size = 2 ** (32 - bits);
  return Math.floor(value / size) === Math.floor(network / size);
}

function startsWith(groups: readonly number[], network: readonly number[], bits: number): boolean {
  for (let at = 0; at * 16 < bits; at += 1) {
    const shift = Math.max(0, 16 - (bits - at * 16));
    if ((groups[at] ?? 0) >> shift !== (network[at] ?? 0) >> shift) {
      return false;
    }
  }
  return true;
}

function shutIpv4(value: number): string | null {
  return SHUT_V4.find(([network, bits]) => within(value, readIpv4(network) ?? 0, bits))?.[2] ?? null;
}

function shutIpv6(groups: readonly number[]): string | null {
  if ((groups[0] ?? 0) >> 13 !== 1) {
    return "not global unicast";
  }
  const known = SHUT_V6.find(([network, bits]) => startsWith(groups, network, bits));
  if (known) {
    return known[2];
  }
  // ISATAP carries an IPv4 address behind `0:5efe` in any prefix.
  const isatap = ((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe;
  return isatap ? shutIpv4((groups[6] ?? 0) * 65_536 + (groups[7] ?? 0)) : null;
}

/** What kind of closed address this is; null for a public one and for anything that is not an address at all. */
export function shutAddress(text: string): string | null {
  const v4 = readIpv4(text);
  if (v4 !== null) {
    return shutIpv4(v4);
  }
  const v6 = readIpv6(text);
  return v6 === null ? null : shutIpv6(v6);
}

export function isAddress(text: string): boolean {
  return readIpv4(text) !== null || readIpv6(text) !== null;
}
