/** Writes a Markdown table. Characters that would end a cell are escaped. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(toCell).join(" | ")} |`;
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line), ""].join("\n");
}

function toCell(text: string): string {
  return text.replaceAll(/\s*\n+\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
}

/** Writes a value as inline code in Markdown. */
export const inlineCode = (value: unknown): string =>
  `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

export const codeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;
