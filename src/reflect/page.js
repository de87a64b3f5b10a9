'use strict';
const why = JSON.parse(document.getElementById('derivations').textContent);
const panel = document.getElementById('why');
function add(parent, name, text, kind) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return parent.appendChild(element);
}
function show(target, path) {
    const found = why[target].find(e => e.path === path);
    panel.replaceChildren();
    const head = add(panel, 'strong', path + ' (' + document.querySelectorAll('[data-name]')[target].dataset.name + ')');
    if (!found) return;
    head.append(': ' + found.position);
    const list = add(panel, 'ol');
    const seen = new Set();
    for (const step of found.steps) {
        const item = add(list, 'li', step.text);
        if (step.taken.length) {
            const taken = add(item, 'ul');
            for (const line of step.taken) add(taken, 'li', line);
        }
        if (step.source) {
            const known = seen.has(step.source[0]);
            const place = add(item, 'div', step.source[0] + (known ? '' : ': '));
            if (!known) add(place, 'code', step.source[1]);
            seen.add(step.source[0]);
        }
        if (step.rule) add(item, 'div', step.rule, 'rule');
    }
}
document.addEventListener('click', event => {
    const button = event.target.closest('button[data-path]');
    if (!button) return;
    for (const other of document.querySelectorAll('.selected')) other.classList.remove('selected');
    for (const same of document.querySelectorAll('button[data-path]'))
        if (same.dataset.path === button.dataset.path) same.classList.add('selected');
    show(Number(button.dataset.target), button.dataset.path);
    // The address leads back here.
    history.replaceState(null, '', '#' + button.dataset.target + ':' + encodeURIComponent(button.dataset.path));
});
function follow() {
    const [target, path] = location.hash.slice(1).split(':');
    if (path === undefined) return;
    for (const button of document.querySelectorAll('button[data-path]'))
        if (button.dataset.target === target && encodeURIComponent(button.dataset.path) === path) {
            button.scrollIntoView({ block: 'center' });
            return button.click();
        }
}
addEventListener('hashchange', follow);
follow();
