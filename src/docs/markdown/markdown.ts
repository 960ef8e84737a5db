/** Writes a table; the text of a cell cannot end the cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(toCell).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line), ""].join("\n");
}

function toCell(text: string): string {
  return text.replaceAll(/\s*\n+\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
}

/** A value as code within a line. */
export const inlineCode = (value: unknown): string =>
  `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

export const codeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;
