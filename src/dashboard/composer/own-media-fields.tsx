import type { FC } from "hono/jsx";
import { storedOwnMedia } from "#dashboard/post-form/account-extras.ts";
import { ChosenMedia, MediaChoice } from "./chosen-media.tsx";
import type { ComposerView } from "./composer-view.ts";
import {
  ownAltTextField,
  ownLibraryField,
  ownMediaField,
  ownMediaUrlField,
  sharedMediaField,
} from "#dashboard/post-form/post-form.ts";

interface OwnMediaProps {
  readonly view: ComposerView;
  readonly accountId: string;
  /** The name of the account, for labels. */
  readonly name: string;
}

/**
 * The media that an account publishes instead of the post's media. The person can choose them or return to the post's
 * media.
 */
export const OwnMediaFields: FC<OwnMediaProps> = ({ view, accountId, name }) => {
  const items = storedOwnMedia(view.form, accountId);
  const list = {
    view,
    items: items ?? [],
    owner: name,
    field: ownMediaField(accountId),
    library: ownLibraryField(accountId),
    addresses: ownMediaUrlField(accountId),
    altText: ownAltTextField(accountId),
    intent: (action: string, index: number) => `own_${action}.${index}.${accountId}`,
    anchor: `account.${accountId}`,
  };
  return items === null ? (
    <details>
      <summary>Other media for this account</summary>
      <MediaChoice {...list} />
    </details>
  ) : (
    <fieldset id={ownMediaField(accountId)} class="ordered">
      <legend>Media of this account alone</legend>
      {items.length === 0 && <p class="hint">None: this account posts the text without the media for all accounts.</p>}
      <ChosenMedia {...list} />
      <details>
        <summary>{`Add media for ${name}`}</summary>
        <MediaChoice {...list} />
      </details>
      <label class="checkbox">
        <input
          type="checkbox"
          name={sharedMediaField(accountId)}
          value="true"
          checked={view.form.sharedMedia.has(accountId)}
        />
        <span>Post the media for all accounts instead</span>
      </label>
    </fieldset>
  );
};
