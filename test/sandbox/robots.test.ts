import { describe, test } from "vitest";
import { forbids } from "#sandbox/facebook/robots.ts";

const CRAWLER = "facebookexternalhit/1.1";

describe("a robots file", () => {
  test.for<[what: string, robots: string, forbidden: boolean]>([
    ["that is empty", "", false],
    ["for everybody", "User-agent: *\nDisallow: /media", true],
    ["for everybody, other paths", "User-agent: *\nDisallow: /private", false],
    ["with an empty rule", "User-agent: *\nDisallow:", false],
    ["for the crawler", "user-agent: FacebookExternalHit\r\ndisallow: / # all of it\r\n", true],
    ["for another one", "User-agent: Otherbot\nDisallow: /", false],
    ["for two at once", "User-agent: Otherbot\nUser-agent: facebookexternalhit\nDisallow: /", true],
    [
      "with groups one after the other",
      "User-agent: *\nDisallow: /private\n\nUser-agent: Otherbot\nDisallow: /",
      false,
    ],
    ["with comments alone", "# Disallow: /", false],
  ])("%s", ([, robots, forbidden], { expect }) => {
    expect(forbids(robots, CRAWLER, "/media/1/film.mp4")).toBe(forbidden);
  });
});
