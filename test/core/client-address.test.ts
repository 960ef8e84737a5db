import { describe, test, vi } from "vitest";
import { createAddressReader } from "#core/client-address.ts";

describe("the IP address of a caller", () => {
  test("is that of Cloudflare's header, and no other header counts", ({ expect }) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const read = createAddressReader();
    expect(read(new Headers({ "cf-connecting-ip": "192.0.2.1", "x-forwarded-for": "192.0.2.9" }))).toBe("192.0.2.1");
    expect(warn).not.toHaveBeenCalled();
    expect(read(new Headers({ "x-forwarded-for": "192.0.2.9", "x-real-ip": "192.0.2.9" }))).toBe("unknown");
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
