const ADDRESS = /https?:\/\/[^\s<>"]+/giu;
const OWN_HOSTS = /^(?:[\w-]+\.)*(?:facebook\.com|fb\.me|fb\.watch)$/iu;

/** The addresses in a text, without the punctuation of the sentence around them. */
function findAddresses(text: string): readonly URL[] {
  return Array.from(text.matchAll(ADDRESS), ([match]) => {
    const address = match.replace(/[.,;:!?'’”…]+$/u, "");
    const isInBrackets = address.endsWith(")") && !address.includes("(");
    return URL.parse(isInBrackets ? address.slice(0, -1) : address);
  }).filter((url) => url !== null);
}

/** Whether a text names an address of Facebook, which refuses some links to itself. */
export function hasOwnLink(text: string): boolean {
  return findAddresses(text).some(({ hostname }) => OWN_HOSTS.test(hostname));
}

/**
 * The address whose preview is shown below a text: without the member `link` there is none
 * (developers.facebook.com/docs/pages-api/posts). An address of Facebook itself stays text, because it may be refused.
 */
export function previewLink(text: string): string | null {
  return findAddresses(text).find(({ hostname }) => !OWN_HOSTS.test(hostname))?.href ?? null;
}
