/** The end of a list of which there is more. */
export function More({ onMore }: { onMore: () => void }) {
  return (
    <div class="buttons list-more">
      <button type="button" class="button" onClick={onMore}>
        Show older ones
      </button>
    </div>
  );
}
