import { describe, test } from "vitest";
import { isDisallowed } from "#sandbox/facebook/robots-txt.ts";

const CRAWLER_USER_AGENT = "facebookexternalhit/1.1";

describe("isDisallowed with a robots.txt", () => {
  test.for<[description: string, robotsTxt: string, disallowed: boolean]>([
    ["that is empty", "", false],
    ["that disallows the path for every crawler", "User-agent: *\nDisallow: /media", true],
    ["that disallows other paths for every crawler", "User-agent: *\nDisallow: /private", false],
    ["with an empty Disallow", "User-agent: *\nDisallow:", false],
    [
      "that disallows everything for this crawler, in lower case with a comment",
      "user-agent: FacebookExternalHit\r\ndisallow: / # all of it\r\n",
      true,
    ],
    ["that disallows everything for another crawler", "User-agent: Otherbot\nDisallow: /", false],
    ["with one group for two crawlers", "User-agent: Otherbot\nUser-agent: facebookexternalhit\nDisallow: /", true],
    [
      "with separate groups for other paths and other crawlers",
      "User-agent: *\nDisallow: /private\n\nUser-agent: Otherbot\nDisallow: /",
      false,
    ],
    ["with comments only", "# Disallow: /", false],
  ])("%s", ([, robotsTxt, disallowed], { expect }) => {
    expect(isDisallowed(robotsTxt, CRAWLER_USER_AGENT, "/media/1/film.mp4")).toBe(disallowed);
  });
});
