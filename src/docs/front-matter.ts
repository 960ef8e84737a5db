/** Separates a guide's front matter (values between two lines of `---` at the beginning) from its text. */
export function readFrontMatter(source: string): {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const [, head, body = ""] = /^---\n([\s\S]*?)\n---\n+([\s\S]*)$/.exec(source) ?? [];
  if (head === undefined) {
    throw new Error(`a guide begins with its title: ${source.slice(0, 60)}`);
  }
  const values = head.split("\n").map((line): [string, string] => {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).trim();
    return [line.slice(0, colon), value.startsWith('"') ? (JSON.parse(value) as string) : value];
  });
  return { values: Object.fromEntries(values), body };
}
