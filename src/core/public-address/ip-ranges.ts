/** The IPv4 ranges that do not belong to the public internet, from IANA's special-purpose registry. */
const NON_PUBLIC_IPV4: readonly (readonly [network: string, prefixLength: number, kind: string])[] = [
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

/**
 * The non-public IPv6 ranges inside 2000::/3. Everything outside 2000::/3 (loopback, mapped, NAT64, local, multicast)
 * is non-public anyway.
 */
const NON_PUBLIC_IPV6: readonly (readonly [network: readonly number[], prefixLength: number, kind: string])[] = [
  [[0x2001, 0x0000], 23, "reserved (Teredo, ORCHID, benchmarking)"],
  [[0x2001, 0x0db8], 32, "documentation"],
  [[0x2002], 16, "6to4"],
  [[0x2620, 0x004f, 0x8000], 48, "reserved"],
  [[0x3fff], 20, "documentation"],
];

const DOTTED_QUAD = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function parseIpv4(text: string): number | null {
  if (!DOTTED_QUAD.test(text)) {
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

function parseGroups(text: string): number[] | null {
  if (text === "") {
    return [];
  }
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const quad = index === parts.length - 1 ? parseIpv4(part) : null;
    if (quad !== null) {
      groups.push(Math.floor(quad / 65_536), quad % 65_536);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return null;
    }
  }
  return groups;
}

/** Parses an IPv6 address into eight 16-bit groups. Null for any other text and for an address with a zone id. */
function parseIpv6(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) {
    return null;
  }
  const head = parseGroups(halves[0] ?? "");
  const tail = halves.length === 2 ? parseGroups(halves[1] ?? "") : [];
  if (!head || !tail) {
    return null;
  }
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) {
    return null;
  }
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function isInIpv4Range(value: number, network: number, prefixLength: number): boolean {
  const size = 2 ** (32 - prefixLength);
  return Math.floor(value / size) === Math.floor(network / size);
}

function isInIpv6Range(groups: readonly number[], network: readonly number[], prefixLength: number): boolean {
  for (let index = 0; index * 16 < prefixLength; index += 1) {
    const shift = Math.max(0, 16 - (prefixLength - index * 16));
    if ((groups[index] ?? 0) >> shift !== (network[index] ?? 0) >> shift) {
      return false;
    }
  }
  return true;
}

function nonPublicIpv4Range(value: number): string | null {
  return (
    NON_PUBLIC_IPV4.find(([network, prefixLength]) =>
      isInIpv4Range(value, parseIpv4(network) ?? 0, prefixLength),
    )?.[2] ?? null
  );
}

function nonPublicIpv6Range(groups: readonly number[]): string | null {
  if ((groups[0] ?? 0) >> 13 !== 1) {
    return "not global unicast";
  }
  const known = NON_PUBLIC_IPV6.find(([network, prefixLength]) => isInIpv6Range(groups, network, prefixLength));
  if (known) {
    return known[2];
  }
  // An ISATAP address hides an IPv4 address after `0:5efe`, under any prefix.
  const isatap = ((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe;
  return isatap ? nonPublicIpv4Range((groups[6] ?? 0) * 65_536 + (groups[7] ?? 0)) : null;
}

/** The kind of the non-public range to which an IP address belongs. Null for a public address and for other text. */
export function nonPublicRange(text: string): string | null {
  const v4 = parseIpv4(text);
  if (v4 !== null) {
    return nonPublicIpv4Range(v4);
  }
  const v6 = parseIpv6(text);
  return v6 === null ? null : nonPublicIpv6Range(v6);
}

const IPV4_MAPPED = [0, 0, 0, 0, 0, 0xffff];

/** The network of an IPv6 address: its first bits. IPv4 addresses and any other text are returned unchanged. */
export function networkOf(text: string, prefixLength: 48 | 64): string {
  const groups = parseIpv6(text);
  if (groups === null) {
    return text;
  }
  if (IPV4_MAPPED.every((group, index) => groups[index] === group)) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  }
  const network = groups.slice(0, prefixLength / 16).map((group) => group.toString(16));
  return `${network.join(":")}::/${prefixLength}`;
}

export function isIpAddress(text: string): boolean {
  return parseIpv4(text) !== null || parseIpv6(text) !== null;
}
