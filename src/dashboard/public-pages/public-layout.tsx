import type { Child, FC } from "hono/jsx";
import { AuthLayout } from "#dashboard/layout/layout.tsx";
import type { Operator } from "./operator.ts";

/** The operator's contact as a link: `mailto:` for an e-mail address. */
export const Contact: FC<{ operator: Operator }> = ({ operator: { contact } }) => (
  <a href={/^https?:/.test(contact) ? contact : `mailto:${contact}`}>{contact}</a>
);

/** The layout of a page that anybody can read, with links to the other such pages. It needs no script. */
export const PublicLayout: FC<{ title: string; operator: Operator; children?: Child }> = ({
  title,
  operator,
  children,
}) => (
  <AuthLayout
    title={title}
    script={false}
    isText
    footer={
      <>
        <a href="/privacy">Privacy</a> · <a href="/terms">Terms</a> · <a href="/data-deletion">Data deletion</a>
        {" · "}
        {operator.name}
      </>
    }
  >
    <h1>{title}</h1>
    {children}
  </AuthLayout>
);
