import * as fc from "fast-check";
import { test } from "vitest";
import { parsePostForm, postFormFields } from "#dashboard/post-form/post-form.ts";

const URLS = [
  "https://one.example/media/one/a.mp4",
  "https://one.example/media/two/b.jpg",
  "https://two.example/c.png",
];
const PLAIN =
  "caption date time fold slot account media library media_url post_id labels notes external_id metadata draft_id draft_version";
const OF_ACCOUNT =
  "caption own_media own_library own_media_url own_alt_text shared_media fieldless_options option:title option:link_card.uri option:thread option:thread.media part_library:thread.0 part_media_url:thread.0 part_alt_text:thread.0";
const NAMES = [
  ...PLAIN.split(" "),
  ..."alt_text.one cover_url.one cover_at.one alt_text.two".split(" "),
  ...OF_ACCOUNT.split(" ").map((name) => {
    const [kind, key] = name.split(":");
    return key === undefined ? `${kind}.account-1` : `${kind}.account-1.${key}`;
  }),
];

const media = fc
  .array(fc.record({ url: fc.constantFrom(...URLS), type: fc.constantFrom("image", "video"), alt_text: fc.string() }))
  .map((items) => JSON.stringify(items));
const value = fc.oneof(
  // Browsers send a line break as CRLF and never a CR alone.
  fc.string({ unit: "binary" }).map((text) => text.replaceAll("\r", "\n")),
  fc.constantFrom("1", "12", "next", "account-1", "a\r\nb", `image ${URLS[1]}`, ...URLS),
  media,
);

test("whatever a browser sends, the form's own fields are read as the same form", ({ expect }) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...NAMES), value)), (sent) => {
      const form = parsePostForm(new URLSearchParams(sent));
      const again = new URLSearchParams(postFormFields(form).map(([name, text]) => [name, text]));
      expect(parsePostForm(again)).toEqual(form);
    }),
    { numRuns: 500 },
  );
});
