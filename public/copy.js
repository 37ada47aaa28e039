/* Buttons that copy a field: <button data-copy="ID of the field" data-copied="Copied" hidden>Copy</button> */

for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
        const field = document.getElementById(button.dataset.copy);
        field.select();
        try {
            await navigator.clipboard.writeText(field.value);
        } catch {
            // Without TLS there is no clipboard; the older command still copies what is selected.
            document.execCommand("copy");
        }
        button.textContent = button.dataset.copied;
        setTimeout(() => { button.textContent = label; }, 3_000);
    });
}
