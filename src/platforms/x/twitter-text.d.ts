/** The library ships no types; these are the four functions we call. */
declare module "twitter-text" {
  interface UrlEntity {
    readonly url: string;
    readonly indices: readonly [number, number];
  }
  const twitter: {
    parseTweet(text: string): { readonly weightedLength: number };
    extractUrlsWithIndices(text: string): readonly UrlEntity[];
    extractCashtags(text: string): readonly string[];
    hasInvalidCharacters(text: string): boolean;
  };
  export default twitter;
}
