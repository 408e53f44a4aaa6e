// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = localStorage.getItem("handrail.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the theme of the system stays.
}
