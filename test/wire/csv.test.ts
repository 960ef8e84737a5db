import { describe, test } from "vitest";
import { env } from "cloudflare:workers";
import { createServices } from "#context.ts";
import { RefusalError, type RefusalDetail } from "#core/errors.ts";
import type { BulkRow, ScheduleInput } from "#planning/index.ts";
import { readPosts } from "#wire/csv/read-posts.ts";
import { readTable } from "#wire/csv/read-table.ts";

function unreachable(): never {
  throw new Error("a table is read without anything else");
}
const services = createServices(
  env,
  { platformFetch: unreachable, publicFetch: unreachable, browserUrl: (url) => url, trustedMediaOrigin: null },
  unreachable,
);

/** The members of each row as a body would have them; what only a table can say is beside them. */
async function read(text: string, fromRow?: number): Promise<readonly (BulkRow & { readonly data: unknown })[]> {
  const bodies = new Map<number, unknown>();
  const { rows } = await readPosts(
    services,
    text,
    (data, row, withMore = (input) => input) => {
      bodies.set(row, data);
      const { caption = "", media_urls: mediaUrls } = data as { caption?: string; media_urls?: string[] };
      const input: ScheduleInput = { caption, scheduledAt: 0, mediaUrls };
      return Promise.resolve({ row, input: withMore(input), problems: [] });
    },
    fromRow,
  );
  return rows.map((row) => ({ ...row, data: bodies.get(row.row) }));
}

async function detailsOf(text: string): Promise<readonly RefusalDetail[]> {
  try {
    await readPosts(services, text, unreachable);
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal.details ?? [];
    }
    throw error;
  }
  throw new Error("the table was not refused");
}

describe("a table as programs write it", () => {
  const cells = [
    ["caption", "scheduled_at"],
    ["One, two; three", "2027-01-01T00:00:00Z"],
    ['She said "go"\nNow', ""],
  ];
  test.for([
    [
      "commas, as RFC 4180",
      'caption,scheduled_at\r\n"One, two; three",2027-01-01T00:00:00Z\r\n"She said ""go""\r\nNow",\r\n',
    ],
    [
      "a byte order mark, as Excel",
      '\uFEFFcaption,scheduled_at\r\n"One, two; three",2027-01-01T00:00:00Z\r\n"She said ""go""\nNow",',
    ],
    [
      "semicolons, as Excel where the comma is decimal",
      'caption;scheduled_at\r\n"One, two; three";2027-01-01T00:00:00Z\r\n"She said ""go""\nNow";\r\n',
    ],
    [
      "tabs, as a copy from a spreadsheet",
      'caption\tscheduled_at\nOne, two; three\t2027-01-01T00:00:00Z\n"She said ""go""\nNow"\t\n',
    ],
    [
      "a byte order mark before semicolons",
      '\uFEFFcaption;scheduled_at\r\n"One, two; three";2027-01-01T00:00:00Z\r\n"She said ""go""\nNow";\r\n',
    ],
    [
      "a byte order mark before tabs",
      '\uFEFFcaption\tscheduled_at\r\nOne, two; three\t2027-01-01T00:00:00Z\r\n"She said ""go""\r\nNow"\t\r\n',
    ],
    [
      "everything quoted, as LibreOffice can",
      '"caption","scheduled_at"\n"One, two; three","2027-01-01T00:00:00Z"\n"She said ""go""\nNow",""',
    ],
    ["old line ends", 'caption,scheduled_at\r"One, two; three",2027-01-01T00:00:00Z\r"She said ""go""\rNow",\r'],
    [
      "headers with spaces and capitals",
      ' Caption , SCHEDULED_AT\n"One, two; three",2027-01-01T00:00:00Z\n"She said ""go""\nNow",',
    ],
    [
      "line ends of both kinds",
      'caption,scheduled_at\r\n"One, two; three",2027-01-01T00:00:00Z\n"She said ""go""\nNow",\r\n',
    ],
  ] as const)("%s", ([, text], { expect }) => {
    const table = readTable(text);
    expect(table.headers).toEqual(cells[0]);
    const lines = table.lines.filter((line) => line.cells.some((cell) => cell !== ""));
    expect(lines).toEqual(cells.slice(1).map((line) => ({ cells: line, fault: null })));
  });
});

describe("the columns", () => {
  test("become the members of a preview, and empty cells are left out", async ({ expect }) => {
    const [row, other] = await read(
      [
        "caption,scheduled_at,platforms,account_ids,media_urls,labels,external_id,time_zone",
        '"  Kept as it is ",  2027-01-01T00:00:00Z ,"X, LinkedIn",a|b,"https://a.example/w_1,h_2.jpg https://b.example/c.jpg",one|two three, 17 ,Europe/Berlin',
        ",,,,,,18,",
      ].join("\n"),
    );
    expect(row?.data).toEqual({
      caption: "  Kept as it is ",
      scheduled_at: "2027-01-01T00:00:00Z",
      platforms: ["x", "linkedin"],
      account_ids: ["a", "b"],
      media_urls: ["https://a.example/w_1,h_2.jpg", "https://b.example/c.jpg"],
      labels: ["one", "two three"],
      external_id: "17",
      time_zone: "Europe/Berlin",
    });
    expect(other?.data).toEqual({ external_id: "18" });
  });

  test("of a slot are taken in any letters, and an empty cell asks for none", async ({ expect }) => {
    const rows = await read(
      "caption;scheduled_at;slot;time_zone\nA;2027-01-01 09:00; NEXT ;Europe/Berlin\nB;2027-01-01 09:00;;UTC",
    );
    expect(rows.map(({ data }) => data)).toEqual([
      { caption: "A", scheduled_at: "2027-01-01 09:00", slot: "next", time_zone: "Europe/Berlin" },
      { caption: "B", scheduled_at: "2027-01-01 09:00", time_zone: "UTC" },
    ]);
  });

  test("of options give them to every account of the platform, as the types that they have", async ({ expect }) => {
    const [row] = await read(
      [
        "caption,scheduled_at,x.reply_settings,x.poll,youtube.title,youtube.made_for_kids,pinterest.board_ids,tiktok.photo_cover_index",
        'Hi,2027-01-01T00:00:00Z,following,"{""options"":[""a"",""b""],""duration_minutes"":60}",The title,TRUE,"1|2",3',
      ].join("\n"),
    );
    expect(row?.input?.optionsByPlatform).toEqual({
      x: { reply_settings: "following", poll: { options: ["a", "b"], duration_minutes: 60 } },
      youtube: { title: "The title", made_for_kids: true },
      pinterest: { board_ids: ["1", "2"] },
      tiktok: { photo_cover_index: 3 },
    });
  });

  test("with descriptions describe the files in their order", async ({ expect }) => {
    const table = (texts: string) =>
      `caption,scheduled_at,media_urls,alt_texts\nHi,2027-01-01T00:00:00Z,https://a.example/a https://a.example/b,${texts}`;
    const [row] = await read(table('"A bowl, blue|A cup"'));
    expect(row?.input?.mediaItems).toEqual([
      { url: "https://a.example/a", type: null, altText: "A bowl, blue" },
      { url: "https://a.example/b", type: null, altText: "A cup" },
    ]);
    const [second] = await read(table("|A cup"));
    expect(second?.input?.mediaItems).toMatchObject([{ altText: undefined }, { altText: "A cup" }]);
    const [tooMany] = await read(table("a|b|c"));
    expect(tooMany).toMatchObject({ input: null, problems: [{ code: "out_of_range", param: "alt_texts" }] });
    const [tooLong] = await read(table(`a|${"b".repeat(1001)}`));
    expect(tooLong).toMatchObject({ input: null, problems: [{ code: "alt_text_too_long", param: "alt_texts[1]" }] });
  });

  test("that do not exist, are there twice or are missing are refused together", async ({ expect }) => {
    const details = await detailsOf("caption,caption,when,x.colour,constructor,__proto__,x.constructor\na,b,c,d,e,f,g");
    expect(details.map(({ code, param }) => `${code} ${param}`)).toEqual([
      "csv_header_invalid scheduled_at",
      "csv_header_invalid when",
      "csv_header_invalid x.colour",
      "csv_header_invalid constructor",
      "csv_header_invalid __proto__",
      "csv_header_invalid x.constructor",
      "csv_header_invalid caption",
    ]);
    expect((await detailsOf("caption,scheduled_at,\na,b,c")).map(({ message }) => message)).toEqual([
      "a column has no name",
    ]);
    // Empty columns without a name are none.
    expect(await detailsOf(",".repeat(500_000))).toHaveLength(2);
  });
});

describe("the lines", () => {
  test("that cannot be read are problems of their rows, and the others are read", async ({ expect }) => {
    const rows = await read(
      [
        "caption,scheduled_at",
        "Good,2027-01-01T00:00:00Z",
        "Not quoted, with a comma,2027-01-01T00:00:00Z",
        "",
        "Only one cell",
        "Also good,2027-01-01T00:00:00Z",
      ].join("\n"),
    );
    expect(rows.map(({ row, problems: [problem] }) => `${row} ${problem?.code ?? "good"}`)).toEqual([
      "1 good",
      "2 csv_row_invalid",
      // The empty line is the third.
      "4 csv_row_invalid",
      "5 good",
    ]);
    expect(rows[1]?.problems[0]?.message).toContain("3 cells, and there are 2 columns");
  });

  test.for([
    ['"Never closed,2027-01-01T00:00:00Z\nLost,2027-01-01T00:00:00Z', "none at its end"],
    ['"Quoted" and more,2027-01-01T00:00:00Z\n"Lost",2027-01-01T00:00:00Z', "after its quotation mark"],
  ] as const)("whose quotation marks do not match refuse the table: %j", async ([lines, reason], { expect }) => {
    expect(await detailsOf(`caption,scheduled_at\nGood,2027-01-01T00:00:00Z\n${lines}`)).toMatchObject([
      { code: "csv_row_invalid", row: 2, message: expect.stringContaining(reason) },
    ]);
  });

  test("are read in parts of 100 from a row on, whose numbers stay", async ({ expect }) => {
    const table = `caption,scheduled_at\n${Array.from({ length: 250 }, (_, index) => `${index + 1},b\n`).join("")}`;
    expect((await read(table, 1)).map(({ row }) => row)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    const last = await read(table, 201);
    expect([last.length, last[0]?.row, last[0]?.input?.caption]).toEqual([50, 201, "201"]);
    expect(
      await readPosts(services, table, (_, row) => Promise.resolve({ row, input: null, problems: [] }), 101),
    ).toMatchObject({ nextRow: 201, count: 250 });
    await expect(read(table, 251)).rejects.toThrow("no post from row 251 on");
    await expect(read(table)).rejects.toThrow("the table has 250 posts, and one preview takes 100");
  });

  test("are 1 to 100 posts", async ({ expect }) => {
    const table = (count: number) => `caption,scheduled_at\n${"a,b\n".repeat(count)}\n\n`;
    expect(await read(table(100))).toHaveLength(100);
    for (const count of [0, 101]) {
      expect(await detailsOf(table(count))).toMatchObject([{ code: "out_of_range", param: "posts", actual: count }]);
    }
  });
});

describe("a table as Excel saves it", () => {
  const timesOf = async (...cells: string[]) =>
    (await read(`caption;scheduled_at\n${cells.map((cell) => `a;${cell}`).join("\n")}`)).map(
      ({ data, problems: [problem] }) => problem?.message ?? (data as { scheduled_at: string }).scheduled_at,
    );

  test.for<readonly [kind: string, cells: readonly string[], times: readonly string[]]>([
    ["German", ["24.12.2026 18:00", "05.06.2027 09:30:15"], ["2026-12-24T18:00", "2027-06-05T09:30:15"]],
    ["American", ["12/24/2026 6:00 PM", "5/6/2027 12:05 AM"], ["2026-12-24T18:00", "2027-05-06T00:05"]],
    ["British, years of two digits", ["24/12/26 18:00", "5/6/27 9:30"], ["2026-12-24T18:00", "2027-06-05T09:30"]],
    ["Dutch", ["24-12-2026 18:00", "1-2-2027 8:00"], ["2026-12-24T18:00", "2027-02-01T08:00"]],
    ["ISO", ["2026-12-24 18:00", "2027-06-05 9:30:00"], ["2026-12-24 18:00", "2027-06-05T09:30:00"]],
    ["Japanese", ["2026/12/24 18:00", "2027/6/5 9:30"], ["2026-12-24T18:00", "2027-06-05T09:30"]],
    ["the same number twice", ["06.06.2027 18:00"], ["2027-06-06T18:00"]],
    [
      "mixed with what the API takes",
      ["24.12.2026 18:00", "2027-01-01T00:00:00Z"],
      ["2026-12-24T18:00", "2027-01-01T00:00:00Z"],
    ],
    ["no time of day", ["24.12.2026"], ["24.12.2026"]],
  ])("%s", async ([, cells, times], { expect }) => {
    expect(await timesOf(...cells)).toEqual(times);
  });

  test("refuses each date that no other date of the column makes clear", async ({ expect }) => {
    expect(await timesOf("05.06.2027 18:00", "2027-01-01 09:00")).toEqual([
      "scheduled_at 05.06.2027 18:00 is 2027-06-05T18:00 or 2027-05-06T18:00, and no date of the column says which: format the column as yyyy-mm-dd hh:mm",
      "2027-01-01 09:00",
    ]);
    const [row] = await read("caption;scheduled_at\nGood;2027-01-01 09:00\nBad;5/6/2027 18:00").then((rows) =>
      rows.slice(1),
    );
    expect(row).toMatchObject({ row: 2, problems: [{ code: "invalid_format", param: "scheduled_at" }] });
  });

  test("refuses every date of a column that has both orders", async ({ expect }) => {
    for (const message of await timesOf("24.12.2026 18:00", "12/24/2026 18:00", "1/2/2027 18:00")) {
      expect(message).toContain("format the column as yyyy-mm-dd hh:mm");
    }
  });

  test("the whole column counts, also for a part of it", async ({ expect }) => {
    const lines = Array.from({ length: 101 }, () => "a;05.06.2027 18:00");
    const [last] = await read(`caption;scheduled_at\n${lines.join("\n")}\nb;24.12.2026 18:00`, 101);
    expect(last).toMatchObject({ row: 101, data: { scheduled_at: "2027-06-05T18:00" } });
  });

  test("leaves out a line that names the separator, and empty columns without a name", async ({ expect }) => {
    const table = readTable(
      'sep=;\r\ncaption;scheduled_at;;;\r\n"a;b";2027-01-01 18:00;;;\r\nc, d;2027-01-02 18:00;;\r\n',
    );
    expect(table.headers).toEqual(["caption", "scheduled_at"]);
    expect(table.lines.slice(0, 2).map(({ cells }) => cells)).toEqual([
      ["a;b", "2027-01-01 18:00"],
      ["c, d", "2027-01-02 18:00"],
    ]);
    expect(await detailsOf("caption,scheduled_at,\na,2027-01-01T00:00:00Z,lost")).toMatchObject([
      { code: "csv_header_invalid", message: "a column has no name" },
    ]);
    expect(await detailsOf("caption,,scheduled_at\na,lost,2027-01-01T00:00:00Z")).toMatchObject([
      { code: "csv_header_invalid", message: "a column has no name" },
    ]);
  });
});
