// usage: kept_in_rust leak|clean. 400 rounds on a thread of their own make a buffer, and keep it or not.
use std::hint::black_box;
use std::sync::{mpsc, Mutex};

static KEPT: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

fn work() {
    let mut x = 1u64;
    for i in 0..200_000u64 {
        x = black_box(x.wrapping_mul(6364136223846793005).wrapping_add(i));
    }
}

#[inline(never)]
fn put(round: usize, is_kept: bool) {
    let buffer = vec![round as u8; 20000]; // made
    black_box(&buffer);
    work();
    if is_kept {
        KEPT.lock().unwrap().push(buffer);
    }
}

fn main() {
    let is_kept = std::env::args().nth(1).unwrap() == "leak";
    let (rounds, todo) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        for round in todo {
            put(round, is_kept);
        }
    });
    for round in 0..400 {
        rounds.send(round).unwrap();
    }
    drop(rounds);
    worker.join().unwrap();
    println!("{}", KEPT.lock().unwrap().len());
}
