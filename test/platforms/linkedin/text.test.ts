import { describe, test } from "vitest";
import { fromLittleText, toLittleText } from "#platforms/linkedin/text.ts";

describe("little text", () => {
  test.for<[plain: string, little: string]>([
    ["", ""],
    ["Release notes are out (v2)", "Release notes are out \\(v2\\)"],
    ["\\|{}@[]()<>*_~", "\\\\\\|\\{\\}\\@\\[\\]\\(\\)\\<\\>\\*\\_\\~"],
    ["a\nb", "a\nb"],
    ["#glaze", "{hashtag|\\#|glaze}"],
    ["Two: #one #two_2!", "Two: {hashtag|\\#|one} {hashtag|\\#|two\\_2}!"],
    ["(#töpfern)", "\\({hashtag|\\#|töpfern}\\)"],
    ["#陶芸", "{hashtag|\\#|陶芸}"],
    ["we are #1", "we are \\#1"],
    ["C# and ##", "C\\# and \\#\\#"],
    ["##double", "\\#\\#double"],
    ["https://a.example/b#frag and /#x", "https://a.example/b\\#frag and /\\#x"],
    ["@[Ada](urn:li:share:1)", "\\@\\[Ada\\]\\(urn:li:share:1\\)"],
    ["@[Ada](urn:li:person:1", "\\@\\[Ada\\]\\(urn:li:person:1"],
    ["@Ada (urn:li:person:1)", "\\@Ada \\(urn:li:person:1\\)"],
    ["{hashtag|\\#|x}", "\\{hashtag\\|\\\\\\#\\|x\\}"],
  ])("%j", ([plain, little], { expect }) => {
    expect(toLittleText(plain)).toBe(little);
    expect(fromLittleText(little)).toBe(plain);
  });

  test.for<[caption: string, little: string, visible: string]>([
    [
      "Thanks to @[Devtestco](urn:li:organization:2414183)!",
      "Thanks to @[Devtestco](urn:li:organization:2414183)!",
      "Thanks to Devtestco!",
    ],
    ["@[Ada (she)](urn:li:person:a-B_1)", "@[Ada \\(she\\)](urn:li:person:a-B_1)", "Ada (she)"],
  ])("the mention in %j is one", ([caption, little, visible], { expect }) => {
    expect(toLittleText(caption)).toBe(little);
    expect(fromLittleText(little)).toBe(visible);
  });

  test("hashtags and mentions in LinkedIn's own notation become the text that readers see", ({ expect }) => {
    expect(fromLittleText("{hashtag|#|one} {hashtag|＃|two} @[Ada](urn:li:person:1)")).toBe("#one #two Ada");
  });
});
