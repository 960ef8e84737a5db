/**
 * Prices in dollars beyond what the paid plan includes, as Cloudflare's pages said on 2026-11-23 (pages as of 2026, by
 * search).
 */
export const PRICES = {
  request: { dollars: 0.3, per: 1e6, source: "https://developers.cloudflare.com/workers/platform/pricing/" },
  d1RowRead: { dollars: 0.001, per: 1e6, source: "https://developers.cloudflare.com/d1/platform/pricing/" },
  d1RowWritten: { dollars: 1, per: 1e6, source: "https://developers.cloudflare.com/d1/platform/pricing/" },
  kvRead: { dollars: 0.5, per: 1e6, source: "https://developers.cloudflare.com/kv/platform/pricing/" },
  kvWrite: { dollars: 5, per: 1e6, source: "https://developers.cloudflare.com/kv/platform/pricing/" },
  r2Read: { dollars: 0.36, per: 1e6, source: "https://developers.cloudflare.com/workers/platform/pricing/" },
  r2Write: { dollars: 4.5, per: 1e6, source: "https://developers.cloudflare.com/workers/platform/pricing/" },
  /** A gigabyte kept for a month. */
  r2GbMonth: { dollars: 0.015, per: 1, source: "https://developers.cloudflare.com/workers/platform/pricing/" },
  objectRequest: {
    dollars: 0.15,
    per: 1e6,
    source: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  },
  objectRowWritten: {
    dollars: 1,
    per: 1e6,
    source: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  },
  /** A gigabyte-second of wall time in memory. An object is billed for 128 MB. */
  objectGbSecond: {
    dollars: 12.5,
    per: 1e6,
    source: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  },
} as const;

/** The use of an image of 1 MB that is kept for a month and read once by the object for its platform. */
export const IMAGE = { gbMonths: 0.001, r2Reads: 1 };

/** The gigabytes of memory for which an object is billed, even if it uses less. */
export const OBJECT_GB = 0.128;
