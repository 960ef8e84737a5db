/** Facebook often returns only the path of a permalink. */
export function absolutePermalink(link: string | null | undefined): string | null {
  return link ? (URL.parse(link, "https://www.facebook.com")?.href ?? null) : null;
}
