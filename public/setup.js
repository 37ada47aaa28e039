// Suggests the time zone of the browser instead of the server's.
const field = document.querySelector("[data-own-zone]");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (field && zone) field.value = zone;
