import type { Child, FC } from "hono/jsx";

/** The product's logo. It has no text for screen readers, because the product's name stands beside it. */
export const Logo: FC = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="3" y="6" width="26" height="23" rx="6" fill="currentColor" />
    <path d="M10 3v7M22 3v7" stroke="currentColor" stroke-width="3" stroke-linecap="round" />
    <path class="logo-sun" d="M9 24a7 7 0 0 1 14 0" />
    <path class="logo-line" d="M7 24h18" />
  </svg>
);

/** What a page loads in addition to what every page loads. */
export interface Assets {
  /** Further style sheets and scripts from the `static` folders, by name without extension. Every page has `app`. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
}

/** The HTML document of every page. `head` contains further elements of its `<head>`. */
export const Document: FC<{
  title: string;
  script?: boolean;
  assets?: Assets | undefined;
  head?: Child;
  children?: Child;
}> = (props) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${props.title} · Almanac`}</title>
      <link rel="icon" href="/favicon.ico" sizes="32x32" />
      <link rel="icon" href="/icon.svg" type="image/svg+xml" />
      {props.head}
      {["app", ...(props.assets?.styles ?? [])].map((name) => (
        <link rel="stylesheet" href={`/${name}.css`} />
      ))}
      {(props.script ?? true) &&
        ["app", ...(props.assets?.scripts ?? [])].map((name) => <script type="module" src={`/${name}.js`}></script>)}
    </head>
    <body>{props.children}</body>
  </html>
);
