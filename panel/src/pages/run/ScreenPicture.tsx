/** One picture of a screen. An old one may be gone: pictures are kept for some days only. */
import { useSignal } from "@preact/signals";
import { pictureAddress, type Picture } from "./screenshots";

export function ScreenPicture({ run, picture }: { run: string; picture: Picture }) {
  const isGone = useSignal(false);
  if (isGone.value) {
    return (
      <span class="screen-gone dim" role="img" aria-label={picture.alt}>
        This picture was removed.
      </span>
    );
  }
  return (
    <img
      class="screen-picture"
      src={pictureAddress(run, picture.name)}
      alt={picture.alt}
      decoding="async"
      onError={() => (isGone.value = true)}
    />
  );
}
