/** The members of the package that are used here; it has no type declarations. */
declare module "pa11y" {
  interface Pa11yIssue {
    readonly runner: string;
    readonly code: string;
    readonly message: string;
    readonly selector: string;
    readonly context: string | null;
  }
  interface Pa11yOptions {
    readonly browser: object;
    readonly page: object;
    readonly standard: "WCAG2A" | "WCAG2AA" | "WCAG2AAA";
    readonly runners: readonly ("axe" | "htmlcs")[];
    readonly viewport: { readonly width: number; readonly height: number };
    readonly timeout: number;
    readonly levelCapWhenNeedsReview: "error" | "warning" | "notice";
  }
  export default function pa11y(
    url: string,
    options: Pa11yOptions,
  ): Promise<{ readonly issues: readonly Pa11yIssue[] }>;
}
