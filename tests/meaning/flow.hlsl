int f(int x) { 
    for (int i = 0; i < 5; i++) {
        switch (x + i) {
            case 0: return 3;
            case 1: switch (i) { case 0: continue; case 2: return 9; default: break; } x += 2; break;
            case 4: continue;
            case 5: { for (int j = 0; j < 3; j++) { if (j == 1) continue; x += j; if (x > 8) break; } } break;
            default: if (x > 6) return x * 100; x++;
        }
        x += 10 * (i & 1);
    }
    return x;
}
int g(int x) {
    int n = 0;
    do { n++; if (n == 2) continue; if (n > 5) break; switch (n) { case 3: n += x; continue; case 4: break; } n += 1; } while (n < x);
    return n;
}
int h(int x) { int s = 0; while (true) { if (x-- <= 0) return s; s = s * 3 + x; if (s > 500) break; } return -s; }
int k(uint x) {
   int r = 0;
   [unroll] for (uint i = 0, j = 10; i < 4 && j > 5; ++i, --j) { r += int(i * j); if (r > 40) return r; }
   for (;;) { r++; if (r & 4) break; }
   return r;
}
int fall(int x) { int r = 0; switch (x) { case 1: case 2: r = 1; break; default: r = 5; break; case 3: { r = 7; break; } } return r; }
void program(uint thread)
{
    int t = int(thread);
    for (int i = 0; i < 6; i++) { put_0(thread, i, uint(f(t + i - 2))); put_0(thread, 6 + i, uint(g(t + i))); put_0(thread, 12 + i, uint(h(t + i))); }
    put_0(thread, 20, uint(k(thread)));
    for (int q = 0; q < 5; q++) put_0(thread, 21 + q, uint(fall(q)));
    int c = 0;
    bool b1 = (c++ > 0) && (c++ > 0);
    put_0(thread, 30, uint(c));
    bool b2 = (c++ > 0) || (c++ > 0);
    put_0(thread, 31, uint(c) + (b1 ? 100 : 0) + (b2 ? 1000 : 0));
    int d = t > 1 ? (c = 50, c + 1) : (c += 3);
    put_0(thread, 32, uint(c)); put_0(thread, 33, uint(d));
    int e = (c++, c + d);
    put_0(thread, 34, uint(e));
    int x = t, y;
    x = y = x + 1;
    put_0(thread, 35, uint(x + y));
    int u = x++ + ++x;
    put_0(thread, 36, uint(u));
    if (int zz = t) { put_0(thread, 37, uint(zz)); }
}
