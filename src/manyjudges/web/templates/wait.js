// Looks again for work, but only while somebody looks at the page: work that nobody sees would wait in vain.
"use strict";
setInterval(() => {
  if (document.visibilityState === "visible") location.reload();
}, 15000);
