import { describe, test, vi } from "vitest";
import { createAddressReader } from "#core/public-address/client-address.ts";

describe("the IP address of a caller", () => {
  test("is that of Cloudflare's header, and no other header counts", ({ expect }) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const read = createAddressReader();
    expect(read(new Headers({ "cf-connecting-ip": "192.0.2.1", "x-forwarded-for": "192.0.2.9" })).address).toBe(
      "192.0.2.1",
    );
    expect(warn).not.toHaveBeenCalled();
    expect(read(new Headers({ "x-forwarded-for": "192.0.2.9", "x-real-ip": "192.0.2.9" }))).toEqual({
      address: "unknown",
      network: "unknown",
    });
  });

  test.for([
    ["192.0.2.1", "192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:C000:0201", "192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:0DB8:0001:0002::ffff", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["::1", "0:0:0:0::/64", "0:0:0::/48"],
    ["not an address", "not an address", "not an address"],
  ] as const)("%s counts as %s, in the network %s", ([ip, address, network], { expect }) => {
    expect(createAddressReader()(new Headers({ "cf-connecting-ip": ip }))).toEqual({ address, network });
  });

  test("when it is missing, the log says so once, not for every request", ({ expect }) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const read = createAddressReader();
    read(new Headers());
    read(new Headers());
    expect(warn.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toEqual([
      {
        level: "warn",
        event: "rate_limit.no_client_address",
        missing: "cf-connecting-ip",
        effect: "all callers share one rate limit per purpose",
      },
    ]);
  });
});
