/**
 * The documents' texts. For tests vitest.config.ts defines them; a build replaces this whole file
 * (scripts/build/documents.ts).
 */
declare const DOCUMENTS: Readonly<Record<string, string>>;

/** The repository's documents that become pages, by path. */
export const texts = DOCUMENTS;
