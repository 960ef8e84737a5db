/** The most bytes of a page's items: an isolate has 128 MB and answers several requests at once. */
// mutant: unlimited-pages
export const MAX_PAGE_BYTES = 4 * 1024 ** 2;
