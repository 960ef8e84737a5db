export interface NonPublicName {
  /** A domain name. All its subdomains are non-public too. */
  readonly name: string;
  /** The document that reserves or describes the domain name. */
  readonly source: string;
}

/**
 * Domain names that lead into private networks. `example` (RFC 6761 6.5) is missing: it leads nowhere, and documents
 * and tests use it.
 */
export const NON_PUBLIC_NAMES: readonly NonPublicName[] = [
  // Special-use names never belong to the public DNS.
  { name: "localhost", source: "RFC 6761 6.3" },
  { name: "test", source: "RFC 6761 6.2" },
  { name: "invalid", source: "RFC 6761 6.4" },
  { name: "local", source: "RFC 6762 3" },
  { name: "onion", source: "RFC 7686 2" },
  { name: "alt", source: "RFC 9476 2" },
  { name: "arpa", source: "RFC 3172 2 (home.arpa: RFC 8375, ipv4only.arpa: RFC 8880)" },
  // Private networks use these top-level names.
  { name: "internal", source: "RFC 6762 appendix G; reserved by ICANN in 2024" },
  { name: "intranet", source: "RFC 6762 appendix G" },
  { name: "private", source: "RFC 6762 appendix G" },
  { name: "corp", source: "RFC 6762 appendix G" },
  { name: "home", source: "RFC 6762 appendix G" },
  { name: "lan", source: "RFC 6762 appendix G" },
  { name: "localdomain", source: "https://www.freedesktop.org/software/systemd/man/latest/nss-myhostname.html" },
  // Service discovery uses these names inside a network.
  { name: "svc", source: "https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/" },
  { name: "consul", source: "https://developer.hashicorp.com/consul/docs/services/discovery/dns-overview" },
  // Public names, but they resolve to private addresses or to cloud metadata.
  { name: "metadata.goog", source: "https://cloud.google.com/compute/docs/metadata/querying-metadata" },
  { name: "nip.io", source: "https://nip.io" },
  { name: "sslip.io", source: "https://sslip.io" },
  { name: "xip.io", source: "https://github.com/basecamp/xip-pdns" },
  { name: "traefik.me", source: "https://traefik.me" },
  { name: "backname.io", source: "https://backname.io" },
  { name: "rbndr.us", source: "https://github.com/taviso/rbndr" },
  { name: "localtest.me", source: "https://readme.localtest.me" },
  { name: "lvh.me", source: "https://gist.github.com/tinogomes/c425aa2a56d289f16a1f4fcb8a65ea65" },
  { name: "lacolhost.com", source: "https://gist.github.com/tinogomes/c425aa2a56d289f16a1f4fcb8a65ea65" },
  { name: "vcap.me", source: "https://gist.github.com/tinogomes/c425aa2a56d289f16a1f4fcb8a65ea65" },
  { name: "yoogle.com", source: "https://gist.github.com/tinogomes/c425aa2a56d289f16a1f4fcb8a65ea65" },
  { name: "127-0-0-1.org.uk", source: "https://gist.github.com/tinogomes/c425aa2a56d289f16a1f4fcb8a65ea65" },
];
